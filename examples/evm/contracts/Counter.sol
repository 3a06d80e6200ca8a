// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Keeps one number, to which anybody may add.
contract Counter {
    uint256 public total;

    event Added(address indexed by, uint256 amount);
    error Empty();

    function add(uint256 amount) external {
        if (amount == 0) revert Empty();
        total += amount;
        emit Added(msg.sender, amount);
    }
}
