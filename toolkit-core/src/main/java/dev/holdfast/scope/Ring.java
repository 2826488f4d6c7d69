package dev.holdfast.scope;

import org.jspecify.annotations.Nullable;

/**
 * A circular list that links its slots through themselves, so that joining and leaving allocate
 * nothing and can't fail halfway. Guarded by its core's monitor.
 */
final class Ring {
  private final Slot head = new Head();

  Ring() {
    head.prev = head;
    head.next = head;
  }

  boolean isEmpty() {
    return head.next == head;
  }

  void add(Slot slot) {
    Slot last = head.prev;
    slot.ring = this;
    slot.prev = last;
    slot.next = head;
    head.prev = slot;
    if (last != null) {
      last.next = slot;
    }
  }

  /** False when the slot isn't in this ring. */
  boolean remove(Slot slot) {
    Slot before = slot.prev;
    Slot after = slot.next;
    if (slot.ring != this || before == null || after == null) {
      return false;
    }
    before.next = after;
    after.prev = before;
    slot.ring = null;
    slot.prev = null;
    slot.next = null;
    return true;
  }

  boolean contains(Slot slot) {
    return slot.ring == this;
  }

  /** The slot after that one; null at the end. The first one after null. */
  @Nullable Slot after(@Nullable Slot slot) {
    Slot next = slot == null ? head.next : slot.next;
    return next == head ? null : next;
  }

  private static final class Head extends Slot {
    Head() {
      super(false);
    }

    @Override
    protected void halt(Cause cause) {}
  }
}
