import { HttpError, productVersion } from '@switchyard/service';
import { serve, serveApi } from '@switchyard/service/api';
import type { Hono } from 'hono';
import { getPayment, listPayments, type Payment } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Paid, Withdrawal } from './withdrawal.ts';
import type { Withdrawer } from './withdrawer.ts';

/** Adds the routes below /v1 and their documentation. */
export function withRoutes(app: Hono, ledger: Ledger, withdrawer: Pick<Withdrawer, 'findReason'>): Hono {
  const json = (withdrawal: Withdrawal, paid?: Paid): Payment => {
    const { eventId, block, sender, to, amount } = withdrawal;
    const facts = { eventId, block, sender, to: to.slice(0, 300), amount: String(amount) };
    if (paid !== undefined) {
      const { transaction, height, fee } = paid;
      return {
        ...{ ...facts, state: 'paid', ...(transaction && { transaction }) },
        ...(height !== undefined && { height }),
        ...(fee !== undefined && { fee: String(fee) }),
      };
    }
    const reason = withdrawer.findReason(withdrawal);
    return reason === undefined ? { ...facts, state: 'waiting' } : { ...facts, state: 'held', reason };
  };

  const one = serve(getPayment, ({ path: { eventId } }) => {
    const found = ledger.find(eventId);
    if (found === undefined) throw new HttpError(404, 'not-found', `no withdrawal ${eventId} was read`);
    return { status: 200, body: json(found.withdrawal, found.paid) };
  });

  const list = serve(listPayments, ({ query: { limit } }) => {
    const open = Array.from(ledger.open.values()).slice(0, limit);
    const paid = open.length < limit ? ledger.newestPaid(limit - open.length) : [];
    return {
      status: 200,
      body: { withdrawals: [...open.map((each) => json(each)), ...paid.map((each) => json(each, each))] },
    };
  });

  const description = 'Withdrawals of a rollup and their payments. Errors are problem documents (RFC 9457).';
  serveApi(app, { title: 'Withdrawer', version: productVersion(), description }, [one, list], {
    contracts: [{ specifier: '@switchyard/withdrawer/contract', exports: { getPayment, listPayments } }],
  });
  return app;
}
