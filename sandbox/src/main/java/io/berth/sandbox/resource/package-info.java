/**
 * The resources of the server: built-in resources, and those that CustomResourceDefinitions add at
 * runtime.
 */
@NullMarked
package io.berth.sandbox.resource;

import org.jspecify.annotations.NullMarked;
