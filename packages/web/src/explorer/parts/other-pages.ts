import { type NetworkPage, useNetworkPages } from '../../ui/network-pages.ts';

/** Pages of the network of one kind; none for no kind. */
export function useOtherPages(kind: NetworkPage['kind'] | undefined): readonly NetworkPage[] {
  const { pages } = useNetworkPages();
  return pages.filter((page) => page.kind === kind);
}
