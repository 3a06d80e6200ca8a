import { systemReason } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { describeEvent } from '../supervisor/describe-event.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';
import { type LogFile, openLogFile } from '../supervisor/log-file.ts';
import { logPath, TOOL } from './names.ts';

/** The log files of one run: one for each service, and the tool's own with what happened to them. */
export interface Logs {
  event(event: SupervisorEvent): void;
  /** A line of the tool itself. */
  say(line: string): void;
  close(): void;
}

export function openLogs(paths: InstancePaths, services: readonly string[], onNotice: (line: string) => void): Logs {
  const files = new Map<string, LogFile>();
  for (const name of [TOOL, ...services]) {
    const path = logPath(paths, name);
    files.set(
      name,
      openLogFile(path, (error) => onNotice(`${path}: lines are lost: ${systemReason(error)}`)),
    );
  }
  const say = (line: string) => files.get(TOOL)?.write(line);
  return {
    say,
    event(event) {
      if (event.kind === 'line') files.get(event.service)?.write(event.text);
      else for (const line of describeEvent(event)) say(line);
    },
    close() {
      for (const file of files.values()) file.close();
    },
  };
}
