/** The settings of a messenger node are those of every rollup. */
export { rollupFields as fields } from '@switchyard/rollup/config';
