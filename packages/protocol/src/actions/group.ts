/** All actions of a transaction are of one group; the unbundleable groups allow one action. */
export type Group = 'bundleableGeneral' | 'unbundleableGeneral' | 'bundleableSudo' | 'unbundleableSudo';

/** Inside a block, transactions stand in order of falling rank. */
export const GROUP_RANK: Readonly<Record<Group, number>> = {
  bundleableGeneral: 4,
  unbundleableGeneral: 3,
  bundleableSudo: 2,
  unbundleableSudo: 1,
};
