import { runProcess } from '@switchyard/service';
import { runProxy } from './proxy.ts';
import { proxyFields } from './proxy-config.ts';

await runProcess({ name: 'proxy', fields: proxyFields, main: runProxy });
