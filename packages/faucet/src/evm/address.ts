import { Rejected } from '@switchyard/protocol';
import { checksummed, parseEthereumAddress } from '@switchyard/protocol/ethereum';

/**
 * An address from any spelling: with or without `0x`, in one letter case, or in the mixed case that is its checksum.
 *
 * @returns The mixed-case form.
 * @throws {Rejected} `malformed`.
 * @see EIP-55
 */
export function parseEvmAddress(text: string): string {
  const trimmed = text.trim();
  const digits = trimmed.replace(/^0x/i, '');
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw refused(trimmed, digits);
  const address = parseEthereumAddress(digits);
  if (address === undefined) {
    throw new Rejected('malformed', {
      address: trimmed,
      problem: 'invalid EIP-55 checksum: a character is probably wrong',
    });
  }
  return checksummed(address);
}

function refused(text: string, digits: string): Rejected {
  const expected = 'an address of 0x and 40 hexadecimal digits';
  if (/^[a-z0-9]+1[a-z0-9]{38,}$/i.test(text) && !/^0x/i.test(text)) {
    return new Rejected('malformed', { address: shown(text), expected, got: 'an address of the sequencer' });
  }
  if (/^0x/i.test(text) && /^[0-9a-fA-F]*$/.test(digits)) {
    return new Rejected('malformed', { address: shown(text), expected, got: `${digits.length} digits` });
  }
  return new Rejected('malformed', { address: shown(text), expected });
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
