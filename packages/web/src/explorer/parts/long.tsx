const LONG = 200;

/** Text that scrolls where it is long, so that none fills the page. */
export function Long({ children }: { readonly children: string }) {
  if (children.length <= LONG) return children;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="long" tabIndex={0}>
      {children}
    </div>
  );
}
