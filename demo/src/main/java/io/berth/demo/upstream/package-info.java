/** The end-to-end tests of Kubernetes, run against the embedded cluster with Berth. */
@NullMarked
package io.berth.demo.upstream;

import org.jspecify.annotations.NullMarked;
