/** Admission webhooks: which are asked about a request, and how they are called. */
@NullMarked
package io.berth.sandbox.admission.webhook;

import org.jspecify.annotations.NullMarked;
