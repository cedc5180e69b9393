const TEXT_AND_LAST = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * A text message as a server writes it to a WebSocket (RFC 6455, 5.2): one unmasked frame. Being unmasked it is the
 * same for every client, so it can be made once and written to any number of sockets.
 */
export function textMessage(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const message = Buffer.allocUnsafeSlow(head + length);
  message[0] = TEXT_AND_LAST;
  message[1] = head === 2 ? length : head === 4 ? LENGTH_16 : LENGTH_64;
  if (head === 4) message.writeUInt16BE(length, 2);
  if (head === 10) message.writeBigUInt64BE(BigInt(length), 2);
  message.write(text, head);
  return message;
}
