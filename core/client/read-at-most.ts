/** The body of an answer; rejects when it has more than `most` bytes, unpacked when it came compressed. */
export async function readAtMost(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    size += next.value.length;
    if (size > most) {
      await reader!.cancel();
      throw new Error(`the answer has more than ${most} bytes`);
    }
    parts.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
