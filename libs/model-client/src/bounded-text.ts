/**
 * Reads a body up to a number of bytes; undefined (and the connection given up) where it is longer. `isWhole` may tell
 * early that nothing more will come that counts.
 */
export const boundedText = async (
  response: Response,
  bytesMax: number,
  isWhole: (text: string) => boolean = () => false,
): Promise<string | undefined> => {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
    if (isWhole(text)) {
      await reader.cancel();
      return text;
    }
  }
};
