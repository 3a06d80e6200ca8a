interface LoadingProps {
  /** Form of what is on its way; a `page` has a title above its facts. */
  readonly shape?: 'line' | 'facts' | 'page' | 'charts';
  readonly count?: number;
}

/** Stands for an answer that is on its way, about as large as that. */
export const Loading = ({ shape = 'facts', count = 4 }: LoadingProps) => (
  <div className="loading" role="status" aria-label="Loading">
    {shape === 'page' && <i className="bone title" />}
    <div className={shape === 'charts' ? 'card charts' : `card bones ${shape}`}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <i className={`bone ${shape}`} key={index} />
      ))}
    </div>
  </div>
);
