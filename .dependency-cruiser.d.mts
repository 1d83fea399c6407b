import type { IConfiguration } from 'dependency-cruiser';

export declare const LAYERS: readonly (readonly string[])[];
declare const configuration: IConfiguration;
export default configuration;
