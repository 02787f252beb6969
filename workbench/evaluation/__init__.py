"""Many queries at once: measured, compared, tuned; and where a gate's threshold should stand.

    found = bench.evaluate(queries)          # an Evaluation: every stage measured, a row a query
    found.open(found.rows[0].id)             # the Trace of a row

``evaluate`` takes a Workbench or anything that makes Traces, ``evaluate_rankings`` what other programs ranked.
The threshold tools (``leave_relevant_out``, ``risk_coverage`` and the rest) choose when to refuse.
"""

from workbench.evaluation.results import Evaluation as Evaluation
from workbench.evaluation.results import read_rows as read_rows
from workbench.evaluation.rows import Failure as Failure
from workbench.evaluation.rows import QueryRow as QueryRow
from workbench.evaluation.running import evaluate as evaluate
from workbench.evaluation.running import evaluate_rankings as evaluate_rankings
from workbench.evaluation.standard import TieSpan as TieSpan
from workbench.evaluation.standard import tie_span as tie_span
from workbench.evaluation.standard import trec_order as trec_order
from workbench.evaluation.thresholds import FeatureUse as FeatureUse
from workbench.evaluation.thresholds import Scored as Scored
from workbench.evaluation.thresholds import columns as columns
from workbench.evaluation.thresholds import feature_use as feature_use
from workbench.evaluation.thresholds import floors_hold as floors_hold
from workbench.evaluation.thresholds import leave_relevant_out as leave_relevant_out
from workbench.evaluation.thresholds import scored as scored
from workbench.kernels.selective import Band as Band
from workbench.kernels.selective import Costs as Costs
from workbench.kernels.selective import RiskCoverage as RiskCoverage
from workbench.kernels.selective import TwoThresholds as TwoThresholds
from workbench.kernels.selective import auroc as auroc
from workbench.kernels.selective import bootstrap as bootstrap
from workbench.kernels.selective import cheapest as cheapest
from workbench.kernels.selective import risk_band as risk_band
from workbench.kernels.selective import risk_coverage as risk_coverage
from workbench.kernels.selective import sweep as sweep
from workbench.kernels.selective import two_thresholds as two_thresholds
