/**
 * The encryption of Gangway, for the clients and workers of programs that exchange private values with it.
 *
 * @packageDocumentation
 */
export { dataConverter, type PayloadKey, type PayloadKeys, parsePayloadKeys } from './payload-codec.js';
