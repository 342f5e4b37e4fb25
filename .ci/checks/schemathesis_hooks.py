"""A failure that is Schemathesis' own, not the service's."""

import schemathesis
from schemathesis.specs.openapi.checks import RejectedPositiveData


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Links that Schemathesis infers take a null reference of an answer (`"product_id": null`) for an id, and ask for
    `/products/None`. The service is right to refuse it."""
    null_id = any(value in (None, "None", "null") for value in (case.path_parameters or {}).values())
    return not (null_id and isinstance(failure, RejectedPositiveData))
