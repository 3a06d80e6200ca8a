import { Box, Text, Transform, useInput } from 'ink';
import type { ReactElement } from 'react';
import { type Key, keysOf } from './keys.ts';

export interface ChromeProps {
  /** Lines that belong together, from top to bottom. */
  readonly blocks: readonly (readonly string[])[];
  readonly onKey: (key: Key) => void;
}

/** What of the screen is not log lines, and the keyboard. */
export function Chrome({ blocks, onKey }: ChromeProps): ReactElement {
  useInput((input, raw) => {
    for (const key of keysOf(input, raw)) onKey(key);
  });
  return (
    <Box flexDirection="column">
      {blocks.map((lines, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is nothing but its place
        <Rows key={index} lines={lines} />
      ))}
    </Box>
  );
}

/**
 * Ink keeps every text it has ever measured, for as long as the process lives. Heights and times change every second,
 * so it measures a text that stays the same, one letter for each row, and gets the real rows when it draws.
 */
function Rows({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return (
    <Transform transform={(_, index) => lines[index] ?? ''}>
      <Text>{Array.from(lines, () => '.').join('\n')}</Text>
    </Transform>
  );
}
