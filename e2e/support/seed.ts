/**
 * For scripts that are compared with a foreign program: the same ones in every run, since what differs in words or in
 * omissions is no reason to refuse a change that has nothing to do with it. `SWITCHYARD_SEED` tries others.
 */
export const SEED = Number(process.env.SWITCHYARD_SEED ?? 1);
