/**
 * Gangway's payload encryption, for other programs' clients and workers that exchange private values with it.
 *
 * @packageDocumentation
 */
export { dataConverter, type PayloadKey, type PayloadKeys, parsePayloadKeys } from './payload-codec.js';
