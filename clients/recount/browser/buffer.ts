/** Node's Buffer, which browsers do not have. */
export { Buffer } from 'buffer/';
