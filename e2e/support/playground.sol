// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A contract that another one makes and ends.
contract Child {
  uint256 public made = block.timestamp;

  constructor() payable {}

  function end(address payable heir) external {
    selfdestruct(heir);
  }
}

/// One function for each thing that two implementations of the EVM could see differently.
contract Playground {
  mapping(uint256 => uint256) public slots;
  uint256 public total;
  address[] public children;

  event Said(uint256 indexed n, bytes data);
  error Wrong(uint256 n, string why);

  constructor() payable {}

  receive() external payable {}

  function put(uint256 slot, uint256 value) external {
    unchecked {
      total += value;
    }
    slots[slot] = value;
  }

  function say(uint256 n, uint256 length) external {
    for (uint256 i = 0; i < n % 4; i++) emit Said(n + i, new bytes(length));
  }

  function fail(uint256 how) external {
    slots[1] = how;
    if (how % 4 == 0) revert("as was asked");
    if (how % 4 == 1) revert Wrong(how, "as was asked");
    if (how % 4 == 2) assert(false);
    assembly {
      invalid()
    }
  }

  function nested(uint256 how) external {
    try this.fail{gas: 50_000}(how) {} catch (bytes memory data) {
      emit Said(how, data);
    }
  }

  function burn(uint256 rounds) external {
    for (uint256 i = 0; i < rounds; i++) slots[100 + i] ^= i + 1;
  }

  function pay(address payable to) external payable {
    (bool paid, ) = to.call{value: msg.value}("");
    slots[2] = paid ? 1 : 2;
  }

  function make(bytes32 salt, bool saltless) external payable {
    Child child = saltless ? new Child{value: msg.value}() : new Child{salt: salt, value: msg.value}();
    children.push(address(child));
  }

  function end(uint256 which, address payable heir) external {
    if (children.length > 0) Child(children[which % children.length]).end(heir);
  }

  function makeAndEnd(address payable heir) external payable {
    new Child{value: msg.value}().end(heir);
  }

  function look() external {
    emit Said(
      block.number,
      abi.encode(block.timestamp, block.basefee, block.chainid, block.coinbase, block.gaslimit, tx.gasprice, msg.sender)
    );
  }

  function precompiled(bytes calldata data) external {
    (bool taken, bytes memory power) = address(5).staticcall(
      abi.encode(uint256(32), uint256(32), uint256(32), uint256(3), data.length, uint256(1_000_007))
    );
    emit Said(taken ? 1 : 0, abi.encode(sha256(data), ripemd160(data), keccak256(data), power));
    emit Said(2, abi.encode(ecrecover(keccak256(data), 27, bytes32(uint256(1)), bytes32(uint256(2)))));
  }

  function passing(uint256 value) external {
    uint256 back;
    assembly {
      tstore(7, value)
      back := tload(7)
      mstore(0x80, back)
      mcopy(0xa0, 0x80, 32)
      back := mload(0xa0)
    }
    emit Said(back, "");
  }
}
