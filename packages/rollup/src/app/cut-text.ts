const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** At most `limit` characters of a stranger's text, as text that can be stored: halves of characters are replaced. */
export function cutText(text: string, limit: number): string {
  const cut = text.length <= limit ? text : `${text.slice(0, limit)}...`;
  return decoder.decode(encoder.encode(cut));
}
