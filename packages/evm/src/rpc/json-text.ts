import { exactJsonText } from '@switchyard/service';

/** A result that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function jsonOf(result: unknown): string {
  if (result instanceof JsonText) return result.text;
  try {
    return JSON.stringify(result);
  } catch (error) {
    // Results of ours have no bigint, but what a geth answered may.
    if (error instanceof TypeError) return exactJsonText(result);
    throw error;
  }
}
