/**
 * The audit of what Berth is made of: the licences of its libraries, and their known
 * vulnerabilities.
 */
@NullMarked
package io.berth.demo.audit;

import org.jspecify.annotations.NullMarked;
