/** Admission webhooks: matching them against requests and calling them. */
@NullMarked
package io.berth.sandbox.admission.webhook;

import org.jspecify.annotations.NullMarked;
