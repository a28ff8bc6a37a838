/** The API types of the Kubernetes release that the server speaks: fields, wire format, schema. */
@NullMarked
package io.berth.sandbox.release;

import org.jspecify.annotations.NullMarked;
