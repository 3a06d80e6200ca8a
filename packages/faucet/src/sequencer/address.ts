import { type AccountId, parseAddress, Rejected, WRONG_CHECKSUM } from '@switchyard/protocol';

/**
 * An account of the sequencer, in either letter case. Its checksum is part of it.
 *
 * @throws {Rejected} `malformed`.
 * @see BIP-350
 */
export function parseSequencerAddress(text: string, prefix: string): AccountId {
  const trimmed = text.trim();
  if (/^0x/i.test(trimmed) || /^[0-9a-f]{40}$/i.test(trimmed)) {
    throw new Rejected('malformed', {
      address: trimmed.slice(0, 100),
      expected: `an address that begins with ${prefix}1`,
      got: 'an address of an EVM chain',
    });
  }
  try {
    const lower = trimmed === trimmed.toUpperCase() ? trimmed.toLowerCase() : trimmed;
    return parseAddress(lower, prefix);
  } catch (error) {
    if (!(error instanceof Rejected) || error.facts.got !== undefined) throw error;
    const looksRight = trimmed.toLowerCase().startsWith(`${prefix}1`);
    throw new Rejected('malformed', {
      address: trimmed.slice(0, 100),
      ...(looksRight ? { problem: WRONG_CHECKSUM } : { expected: `an address that begins with ${prefix}1` }),
    });
  }
}
