// A token, another one after it, and a transfer of the first to the second.
import { buildModule } from '@nomicfoundation/hardhat-ignition/modules';

export default buildModule('Token', (m) => {
  const first = m.contract('Token', ['Coin', 'CN', m.getParameter('supply', 1000)], { id: 'First' });
  const second = m.contract('Token', ['Other', 'OT', 7], { id: 'Second', after: [first] });
  m.call(first, 'transfer', [second, 5]);
  return { first, second };
});
