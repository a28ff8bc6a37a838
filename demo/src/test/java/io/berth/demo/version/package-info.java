/** Berth on the versions of Kubernetes that it supports. */
@NullMarked
package io.berth.demo.version;

import org.jspecify.annotations.NullMarked;
