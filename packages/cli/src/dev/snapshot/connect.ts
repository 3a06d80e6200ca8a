import type { ConnectTool } from './quiet.ts';

/** The tool that runs an instance; none answers yet. */
export const connectTool: ConnectTool = async () => undefined;
