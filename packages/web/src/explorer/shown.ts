/** Hidden characters, fillers, and those that turn the direction of text are shown by their code. */
export function shown(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu,
    (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`,
  );
}
