import { type Description, type Type, withMembers } from './type.ts';

const MOST_BLOCKS = (1n << 64n) - 1n;

/**
 * The type of a field that a running chain gets at a block, or another type of one that it has. See the example of {@link record}.
 *
 * In the blocks before, the field is absent, or has the type before. Neither data nor clients of those blocks change: they
 * are those of a definition without this part.
 *
 * @param before Type of the field in earlier blocks; without it the field begins at the block, and needs a default.
 */
export function since<T>(block: bigint, type: Type<T>, before?: Type<unknown>): Type<T> {
  const description: Description = {
    ...type.description,
    from: String(block),
    ...(before !== undefined && { before: before.description }),
  };
  const problem = type.problem ?? before?.problem ?? findProblem(block, type, before);
  return withMembers(type, { description, problem });
}

function findProblem(block: bigint, type: Type<unknown>, before: Type<unknown> | undefined): string | undefined {
  if (!isBlock(block)) return `since: expected a block from 1 on, got ${String(block)}`;
  const earlier = BigInt((before?.description.from as string | undefined) ?? 0);
  if (earlier >= block) return `since: expected a block after ${earlier}, that of the type before, got ${block}`;
  if (type.description.from !== undefined)
    return 'since: expected an earlier one as the type before, got it as the type';
  if (before === undefined && type.presence === 'required')
    return `since: ${type.description.type} has no default for rows and clients of the blocks before: put it into an option`;
  return undefined;
}

/** Whether rules can begin at the block. */
export function isBlock(block: unknown): block is bigint {
  return typeof block === 'bigint' && block >= 1n && block <= MOST_BLOCKS;
}
