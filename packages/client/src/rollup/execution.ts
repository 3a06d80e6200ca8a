import { createClient } from '@connectrpc/connect';
import {
  type BlockMetadata,
  blockMetadataFromWire,
  Rejected,
  type Session,
  sessionFromWire,
} from '@switchyard/protocol';
import { execution2 } from '@switchyard/protocol/gen';
import { grpcTransport } from '@switchyard/service';

export type ExecutionClient = ReturnType<typeof executionClient>;

const QUESTION_MS = 10_000;

/** Reads a rollup's statements about its blocks over the Execution API, for every kind of rollup. Executes nothing. */
export function executionClient(url: string) {
  const transport = grpcTransport(url);
  const client = createClient(execution2.ExecutionService, transport);
  return {
    /** States no level, and is refused while a conductor holds the session. */
    async session(): Promise<Session> {
      return sessionFromWire(await client.createExecutionSession({}, { timeoutMs: QUESTION_MS }));
    },
    async block(number: bigint): Promise<BlockMetadata> {
      const identifier = { identifier: { case: 'number', value: number } } as const;
      const answer = await client.getExecutedBlockMetadata({ identifier }, { timeoutMs: QUESTION_MS });
      const block = blockMetadataFromWire(answer);
      if (block.number !== number)
        throw new Rejected('malformed', { field: 'number', expected: number, got: block.number });
      return block;
    },
    close: () => transport.close(),
  };
}
