import { defineConfig } from 'vite';

/** Modules that all views of the explorer share are one file: several compress worse. */
const SHARED = {
  name: 'index',
  test: /explorer.(views|parts|story|charts|[a-z]+.tsx?)|web.src.ui|preact|client.dist.http|service.dist/,
};

/** Parts of contracts for the documents of APIs, and texts for people, which have spaces: a page has no use for them. */
const FOR_DOCUMENTS = /\b(examples: \[[^\]]*\]|errors: (\{[^{}]*\}|\w+)),?|(?<=schema\.record\()'\w+'/g;
const PATTERNS = /\bpattern: '[^'\n]*',?/g;
const TEXTS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;
/** Another group over the curve, which no page uses: only these statements keep it in the file. */
const RISTRETTO = /^Object\.freeze\(_RistrettoPoint.*$|(?<=export const ristretto255_hasher = )/gm;
/** Conversions of keys to another form of the curve, which no page calls. */
const MONTGOMERY = /^ {8}toMontgomery\w*\([\s\S]*?^ {8}\},$/gm;
/** Makers of values with a stated size, which no page calls. */
const SIZED = /^ +static (u?int|bytes)\d+\(v\) \{[^}]*\}$/gm;
/**
 * Calls that make parts of contracts: a part that a page does not use is left out of it. Marked where contracts are made, since elsewhere
 * these names stand for lists and bytes, whose methods have effects.
 */
const MAKERS =
  /(?<!function |[.\w])(contract|schema\.\w+|hash|bytes|pageQuery|column|textByName|get|list|items|table)\(/g;
const withoutUnused = {
  name: 'without-unused',
  transform(code: string, id: string) {
    if (/noble.curves.ed25519\.js/.test(id))
      return code.replaceAll(RISTRETTO, (statement) => (statement === '' ? '/* @__PURE__ */ ' : ''));
    if (/noble.curves.abstract.edwards\.js/.test(id)) return code.replaceAll(MONTGOMERY, '');
    if (/ethers.lib.esm.abi.typed\.js/.test(id)) return code.replaceAll(SIZED, '');
    if (!/packages.\w+.dist.(rollup.)?(rollup-)?(contract|records)/.test(id)) return undefined;
    // Parameters are checked by their patterns; values of answers are not.
    const short = /explorer.dist.contract.(?!parameters)|rollup-records/.test(id)
      ? code.replaceAll(PATTERNS, '')
      : code;
    return short
      .replaceAll(MAKERS, '/* @__PURE__ */ $&')
      .replaceAll(TEXTS, (text) => (text.includes(' ') ? "''" : text))
      .replaceAll(FOR_DOCUMENTS, (part) => (part.startsWith("'") ? "''" : ''));
  },
};

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  // The reference is served at /docs, beside the calls that it describes.
  base: mode === 'reference' ? '/docs/' : './',
  plugins: mode === 'explorer' || mode === 'chat' ? [withoutUnused] : [],
  // Browsers of that age preload modules by themselves.
  build: {
    ...(mode === 'explorer' && {
      rolldownOptions: {
        output: { codeSplitting: { groups: [SHARED] } },
      },
    }),
    // The console of a rollup has its styles and icon, by these names.
    ...(mode === 'reference' && {
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      rolldownOptions: { output: { assetFileNames: '[name][extname]' } },
    }),
    outDir: `../../dist/${mode}`,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
}));
