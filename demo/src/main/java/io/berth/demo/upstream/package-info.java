/** Kubernetes' own end-to-end tests, run from outside against the embedded cluster with Berth. */
@NullMarked
package io.berth.demo.upstream;

import org.jspecify.annotations.NullMarked;
