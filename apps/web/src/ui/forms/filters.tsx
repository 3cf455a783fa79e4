import { SearchInput } from './input.tsx';
import { Select } from './select.tsx';

interface PageSearchProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Its width; that of a list with several filters unless set. */
  className?: string;
}

/** The search field in the toolbar of a list page, which the page's search key focuses. */
export function PageSearch({ className = 'w-full sm:w-60', ...field }: PageSearchProps) {
  return <SearchInput data-search className={className} {...field} />;
}

interface FilterSelectProps<T extends string> {
  label: string;
  /** The choice that filters nothing: "Any status". */
  any: string;
  /** Undefined: not filtered. */
  value: T | undefined;
  values: readonly T[];
  getLabel: (value: T) => string;
  onChange: (value: T | undefined) => void;
  className?: string;
}

/** A filter in the toolbar of a list page: one of the values, or any. */
export function FilterSelect<T extends string>(props: FilterSelectProps<T>) {
  const { label, any, value, values, getLabel, onChange, className } = props;
  return (
    <Select<string>
      fit
      {...(className ? { className } : {})}
      aria-label={label}
      value={value ?? ''}
      onChange={(chosen) => onChange(values.find((known) => known === chosen))}
      choices={[
        { value: '', label: any },
        ...values.map((known) => ({ value: known, label: getLabel(known) })),
      ]}
    />
  );
}
