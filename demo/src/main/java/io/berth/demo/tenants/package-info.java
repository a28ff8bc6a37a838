/**
 * The tenants of a cluster that is tested: what they create, change, and delete is drawn from a
 * seed, and the cluster is an interface, so that the same tenants use an API in memory and a real
 * one.
 */
@NullMarked
package io.berth.demo.tenants;

import org.jspecify.annotations.NullMarked;
