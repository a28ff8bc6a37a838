/** Policies in the file format that kube-scheduler supported before 1.23. */
@NullMarked
package io.berth.webhook.legacy;

import org.jspecify.annotations.NullMarked;
