import { bool, type ConfigOf, field, optional, path, standardFields } from '@switchyard/service/settings';
import { queryFields } from '../rpc/query-fields.ts';

/** The settings of a node that imports a chain that was made elsewhere, and answers from it. */
export const archiveFields = {
  dbFilepath: field('SVC_EVM_ARCHIVE_DB_FILEPATH', path, {
    help: 'directory of the database; made if it is not there',
    fallback: '~/.switchyard/evm-archive',
  }),
  genesisFilepath: field('SVC_EVM_ARCHIVE_GENESIS_FILEPATH', optional(path), {
    help: "genesis of the chain in go-ethereum's format; only needed for a new database",
  }),
  blocksFilepath: field('SVC_EVM_ARCHIVE_BLOCKS_FILEPATH', optional(path), {
    help: 'file of blocks in RLP, one after another, that are imported at the start',
  }),
  serve: field('SVC_EVM_ARCHIVE_SERVE', bool, {
    help: 'answer JSON-RPC after the import; false ends the process then',
    fallback: 'true',
  }),
  ...queryFields('SVC_EVM_ARCHIVE_', '127.0.0.1:8547'),
  ...standardFields('SVC_EVM_ARCHIVE_', '127.0.0.1:9008'),
};

export type ArchiveConfig = ConfigOf<typeof archiveFields>;
