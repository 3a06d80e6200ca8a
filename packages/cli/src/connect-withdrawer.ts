import { contractApi, httpApi } from '@switchyard/client/http-api';
import { listPayments, status } from '@switchyard/withdrawer/contract';
import { askAgain } from './ask-again.ts';

/** A withdrawer by its HTTP interface, in the words of the commands. */
export function connectWithdrawer(url: string) {
  const api = httpApi('withdrawer', { url });
  const call = contractApi(api);
  return {
    status: () => askAgain(async () => status.read(await api('/status'))),
    /** Open withdrawals in their order, then the newest paid ones. */
    withdrawals: async (limit: number) => (await askAgain(() => call(listPayments, { limit }))).withdrawals,
  };
}
