import { parseInput } from '@switchyard/service/input';

/** Prints the head when run in the container `da-light`, if the token is that the node's RPC requires. */
export const DA_LIGHT_HEAD_COMMAND: readonly string[] = ['/bin/da-light', 'head'];

/** The newest header that a light node has verified. */
export interface DaLightHead {
  readonly height: bigint;
  /** Block time as the validators stated it, in milliseconds since 1970. */
  readonly timeMs: number;
}

const MAX_CHARACTERS = 1_000;

/** @param printed Output of that command. @throws {InvalidData} when it is something else. */
export function readDaLightHead(printed: string): DaLightHead {
  const input = parseInput(printed.slice(0, MAX_CHARACTERS), 'the head of the light node');
  const height = input.at('height').big(1n, (1n << 63n) - 1n);
  const time = input.at('time');
  const timeMs = Date.parse(time.text());
  return { height, timeMs: Number.isNaN(timeMs) ? time.fail('a time') : timeMs };
}

/** For people. @param nowMs The time of day. */
export function daLightHeadText({ height, timeMs }: DaLightHead, nowMs: number): string {
  return `head ${height}, ${Math.max(0, Math.round((nowMs - timeMs) / 1_000))} s old`;
}
