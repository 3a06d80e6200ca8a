declare module 'color-name' {
  const names: Readonly<Record<string, readonly [red: number, green: number, blue: number]>>;
  export default names;
}
