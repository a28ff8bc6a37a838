/**
 * Admission: the processing of an object between decoding and storing. Extension points: {@link
 * io.berth.sandbox.admission.AdmissionChain} and {@link io.berth.sandbox.admission.PodDefaults}.
 */
@NullMarked
package io.berth.sandbox.admission;

import org.jspecify.annotations.NullMarked;
