/** SQL condition: the run `r` is no trial, which means neither a test run nor a run of a draft. `trialOptions` marks trials. */
export const IS_REAL = `(r.options IS NULL
  OR (r.options NOT LIKE '%"test_run":true%' AND r.options NOT LIKE '%"of_draft":true%'))`;
