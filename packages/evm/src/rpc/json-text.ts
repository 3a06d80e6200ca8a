/** A result that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function jsonOf(result: unknown): string {
  return result instanceof JsonText ? result.text : JSON.stringify(result);
}
