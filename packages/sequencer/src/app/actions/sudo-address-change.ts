import { mustBeSudo, sudo } from '../tables/authority.ts';
import { mustHavePrefix } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Hands the authority over the chain's settings, and with it the fees, to another account. */
export const sudoAddressChange = sequencerHandler<'sudoAddressChange'>({
  verify({ newAddress }, { state, signer }) {
    mustHavePrefix(state, newAddress);
    mustBeSudo(state, signer);
  },

  apply({ newAddress }, { state }) {
    sudo.put(state, newAddress.account);
  },
});
