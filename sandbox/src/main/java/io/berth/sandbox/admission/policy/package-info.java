/** ValidatingAdmissionPolicies: matching them against requests and evaluating them. */
@NullMarked
package io.berth.sandbox.admission.policy;

import org.jspecify.annotations.NullMarked;
