/**
 * AdmissionReviews in, verdicts out: pods are mutated, configuration is validated, workloads are
 * warned about.
 */
@NullMarked
package io.berth.webhook.admission;

import org.jspecify.annotations.NullMarked;
