/**
 * The API types of the Kubernetes release that the server implements: fields, wire format, and
 * schema.
 */
@NullMarked
package io.berth.sandbox.release;

import org.jspecify.annotations.NullMarked;
