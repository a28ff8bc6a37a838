/**
 * The handling of AdmissionReviews: mutates pods, validates Berth's configuration objects, and
 * warns about workloads.
 */
@NullMarked
package io.berth.webhook.admission;

import org.jspecify.annotations.NullMarked;
