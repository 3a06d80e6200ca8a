declare module 'solc' {
  const compiler: { compile(input: string): string };
  export default compiler;
}
