import { type Facts, Rejected } from '@switchyard/protocol';

/** Codes of a definition's own refusals follow this one; the fixed ones of the protocol stay below it. */
export const OWN_CODES = 127;

/** A refusal of the definition's own, with facts of its types. */
export class OwnRefusal extends Rejected {
  constructor(
    readonly kind: string,
    facts: Facts,
    /** The facts in their one encoding. */
    readonly encoded: Uint8Array,
    /** In the definition, from 1 on. */
    private readonly number: number,
  ) {
    super('own-rule', facts);
    const [, details = ''] = this.message.split(/: (.*)/s);
    this.message = [getWords(kind), details].filter((part) => part !== '').join(': ');
  }

  override get code(): number {
    return OWN_CODES + this.number;
  }

  numbered(number: number): OwnRefusal {
    return new OwnRefusal(this.kind, this.facts, this.encoded, number);
  }
}

function getWords(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
